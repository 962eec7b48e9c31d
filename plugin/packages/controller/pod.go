package controller

// PodVariable is the variable of the environment that names the Pod of a controller
// that runs in the cluster.
const PodVariable = "POD_NAME"

// LeaderLabel, with the value "true", is on the Pod of the controller that works, so
// that a Service leads to it.
const LeaderLabel = "packages.tazuna.pepabo.com/leader"
