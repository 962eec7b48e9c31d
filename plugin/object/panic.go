package object

import (
	"fmt"
	"runtime"
)

// PanicText tells what something panicked with. Only the texts of Go itself are shown:
// any other may hold what was seen in a cluster or a file.
func PanicText(cause any) string {
	if err, ok := cause.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a %T", cause)
}
