package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// program is what a container of our controller is asked by.
const program = "kubectl-tazuna"

// AskCommand are the words after the program that ask the socket in the container. The
// question is a line on its input: it may hold settings, and commands are in the log of
// the server.
func AskCommand() []string { return []string{"packages", "ask"} }

// Controller asks a controller in a container.
type Controller struct {
	Runner    Runner
	Container Container
	// Socket is where it was told to answer; "" is its default.
	Socket string
}

var _ debug.Transport = Controller{}

// Get runs "packages ask" there.
func (t Controller) Get(ctx context.Context, path string, query url.Values) (int, []byte, error) {
	question := path
	if len(query) > 0 {
		question += "?" + query.Encode()
	}
	command := append([]string{program}, AskCommand()...)
	if t.Socket != "" {
		command = append(command, "--socket="+t.Socket)
	}
	out, err := t.Runner.Run(ctx, t.Container, command, []byte(question+"\n"))
	if err != nil {
		return 0, nil, err
	}
	if out.Code != 0 {
		return 0, nil, fmt.Errorf("%s: %s", t.Container, strings.TrimPrefix(out.words(object.DefaultMasker()), "error: "))
	}
	status, body, err := readAnswer(out.Stdout)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", t.Container, err)
	}
	return status, body, nil
}

// mostQuestion bounds a question, in bytes: it is sent as a header.
const mostQuestion = 1 << 20

// ReadQuestion reads what Controller asks: a path of debug's server, and its query.
func ReadQuestion(r io.Reader) (path string, query url.Values, err error) {
	line, err := bufio.NewReader(io.LimitReader(r, mostQuestion)).ReadString('\n')
	if err != nil {
		return "", nil, errors.New("wanted a line with a question on the input, found none")
	}
	where, err := url.ParseRequestURI(strings.TrimSuffix(line, "\n"))
	if err != nil || !strings.HasPrefix(where.Path, debug.Prefix) { // the text may hold secrets
		return "", nil, fmt.Errorf("wanted a path that begins with %s on the input, found another text", debug.Prefix)
	}
	return where.EscapedPath(), where.Query(), nil
}

// WriteAnswer writes an answer so that Controller can read it.
func WriteAnswer(w io.Writer, status int, body []byte) error {
	answer := &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	return answer.Write(w)
}

// readAnswer reads what WriteAnswer wrote.
func readAnswer(data []byte) (status int, body []byte, err error) {
	answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), nil)
	if err != nil {
		return 0, nil, errors.New("its answer can't be read: wanted that of \"packages ask\"")
	}
	defer answer.Body.Close()
	if answer.ContentLength < 0 {
		return 0, nil, errors.New("its answer can't be read: it doesn't say how long it is")
	}
	if answer.ContentLength > debug.MostAnswer {
		return 0, nil, fmt.Errorf("the answer has more than %d bytes", debug.MostAnswer)
	}
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, fmt.Errorf("the answer is cut off: wanted %d bytes, found %d", answer.ContentLength, len(body))
	}
	return answer.StatusCode, body, nil
}
