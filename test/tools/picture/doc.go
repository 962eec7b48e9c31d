// Command picture turns what a terminal would show, coloured text on standard
// input, into a static SVG on standard output:
//
//	kubectl-tazuna diff --color=always | go run ./test/tools/picture -command 'kubectl tazuna diff'
//
// Flow: parse.go reads the text and its colour sequences into cells of one style,
// svg.go draws them. Only what our own printers write is understood (SGR: bold,
// reverse and the 16 colours); any other sequence is an error, so that a picture
// never shows less than a terminal.
package main
