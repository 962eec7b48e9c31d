package object

// Scrub returns text with every value hidden that DefaultMasker hides in these
// bodies. See [Masker.Scrub].
func Scrub(text string, secrets ...map[string]any) string {
	return DefaultMasker().Scrub(text, secrets...)
}
