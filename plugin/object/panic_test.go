package object

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPanicTextShowsNothingOfTheCluster(t *testing.T) {
	assert.Equal(t, "a *errors.errorString", PanicText(errors.New("hunter2")))
	assert.Equal(t, "a string", PanicText("hunter2"))
	var none []int
	defer func() { assert.Contains(t, PanicText(recover()), "index out of range") }()
	_ = none[len(none)]
}
