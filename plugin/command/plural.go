package command

import "fmt"

// counted is a number with its noun: "1 object", "2 objects".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
