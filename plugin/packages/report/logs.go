package report

// Logs are lines of a log, the last at the end.
type Logs struct {
	Items []LogLine `json:"items"`
	// Next is the number to go on after; 0 where lines have none.
	Next uint64 `json:"next,omitempty"`
	// Missed tells that earlier lines are not kept any more.
	Missed bool `json:"missed,omitempty"`
}

// Names lists who said the lines, for -o name.
func (l *Logs) Names() []string {
	names := make([]string, len(l.Items))
	for i, item := range l.Items {
		names[i] = item.Source
	}
	return names
}

// LogLine is one line: of the controller, with level and fields, or of a container.
type LogLine struct {
	// Time is as in RFC 3339; "" where nobody knows.
	Time string `json:"time,omitempty"`
	// Source is who says it: controller, a hook, or POD/CONTAINER.
	Source  string     `json:"source"`
	Level   string     `json:"level,omitempty"`
	Message string     `json:"message"`
	Fields  []LogField `json:"fields,omitempty"`
}

// LogField is what a line says besides its message.
type LogField struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
