package standin

import (
	"testing"
	"time"
)

func TestParseWish(t *testing.T) {
	tests := map[string]struct {
		name, value string
		want        Wish
		refused     bool
	}{
		"ready after":     {name: "ready-after", value: "1m5s", want: Wish{ReadyAfter: 65 * time.Second}},
		"run for":         {name: "run-for", value: "10ms", want: Wish{RunFor: 10 * time.Millisecond}},
		"terminate after": {name: "terminate-after", value: "1s", want: Wish{TerminateAfter: time.Second}},
		"waiting":         {name: "waiting", value: "x", want: Wish{Waiting: "x"}},
		"fail":            {name: "fail", value: "255", want: Wish{Fail: 255}},
		"restarts":        {name: "restarts", value: "4", want: Wish{Restarts: 4}},
		"log":             {name: "log", value: "a\nb", want: Wish{Log: "a\nb"}},
		"exec":            {name: "exec", value: "process", want: Wish{ExecProcess: true}},
		"other exec":      {name: "exec", value: "play", want: Wish{}},
		"process":         {name: "process", value: "/bin/x y", want: Wish{Process: "/bin/x y"}},
		"unknown":         {name: "colour", value: "red", want: Wish{}},
		"no unit":         {name: "ready-after", value: "5", refused: true},
		"negative":        {name: "run-for", value: "-5s", refused: true},
		"exit code 0":     {name: "fail", value: "0", refused: true},
		"no number":       {name: "restarts", value: "x", refused: true},
		"too large":       {name: "fail", value: "256", refused: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseWish(map[string]string{Prefix + test.name: test.value, "other/fail": "x"})
			if got != test.want || (err != nil) != test.refused {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
