package command

import (
	"flag"
	"strconv"

	"k8s.io/klog/v2"
)

// setVerbosity sets the level of the libraries' log, which shows requests from
// level 6 on as kubectl's does.
func setVerbosity(level int) {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("v", strconv.Itoa(level)) // a number is always accepted
	_ = flags.Set("logtostderr", "false")
}
