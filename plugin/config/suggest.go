package config

import (
	"fmt"
	"strings"
)

// didYouMean gives the end of a message about an unknown word: the nearest of the
// known ones if one is near, else all of them.
func didYouMean(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	if len(known) == 0 {
		return ""
	}
	return "; known: " + strings.Join(known, ", ")
}

// distance counts the letters to insert, drop, change or swap with the next one
// to get from a to b.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			rows[i][j] = step(rows, a, b, i, j)
		}
	}
	return rows[len(a)][len(b)]
}

// step is the cheapest way to the cell i, j of the table.
func step(rows [][]int, a, b string, i, j int) int {
	change := rows[i-1][j-1]
	if a[i-1] != b[j-1] {
		change++
	}
	least := min(change, rows[i-1][j]+1, rows[i][j-1]+1)
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		least = min(least, rows[i-2][j-2]+1)
	}
	return least
}
