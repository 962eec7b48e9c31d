// Command image makes the container image of a release and looks at what came out:
//
//	go run ./test/tools/image -goreleaser bin/tools/goreleaser
//
// Flow: release.go clones the last commit, tags the clone and has goreleaser run what
// .goreleaser.yaml says of the image (ko) and of the programs in it, and nothing else
// of a release; base.go makes the base image, since the one of the configuration is in
// a registry that may be out of reach; both go to a registry in this process, which
// only this machine sees. check.go judges what is in that registry then, and enter_*.go
// starts the program inside of the image's own file system, where that can be done.
//
// All of it is done twice, in two directories: the images must have the same digest.
//
// Invariants: nothing leaves the machine; no setting of the image is repeated here, but
// as what is wanted of the result; the configuration's own base image is named in its
// output and never fetched.
package main
