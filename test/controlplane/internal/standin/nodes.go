package standin

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/version"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

const (
	leaseEvery    = 10 * time.Second
	leaseDuration = 40
	// registerFor bounds the attempts: the server may call itself ready a
	// moment before it lets anyone in.
	registerFor = 30 * time.Second
)

// nodes keeps Node objects and their Leases.
type nodes struct {
	client kubernetes.Interface
	opts   Options
}

func newNodes(client kubernetes.Interface, opts Options) *nodes {
	return &nodes{client: client, opts: opts}
}

func (n *nodes) names() []string {
	names := make([]string, 0, n.opts.Nodes)
	for i := range n.opts.Nodes {
		names = append(names, fmt.Sprintf("node-%d", i+1))
	}
	return names
}

func (n *nodes) register(ctx context.Context) error {
	for _, name := range n.names() {
		var last error
		err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, registerFor, true, func(ctx context.Context) (bool, error) {
			last = n.registerOne(ctx, name)
			return last == nil, nil
		})
		if err != nil {
			return fmt.Errorf("register node %s: %w (last: %w)", name, err, last)
		}
	}
	return nil
}

func (n *nodes) registerOne(ctx context.Context, name string) error {
	node := n.newNode(name)
	_, err := n.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		err = n.refresh(ctx, node)
	}
	if err != nil {
		return err
	}
	return n.renewLease(ctx, name)
}

// refresh brings back a node of an earlier run, which the controllers may have
// given up in the meantime.
func (n *nodes) refresh(ctx context.Context, node *corev1.Node) error {
	present, err := n.client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	present.Status = node.Status
	_, err = n.client.CoreV1().Nodes().UpdateStatus(ctx, present, metav1.UpdateOptions{})
	return err
}

func (n *nodes) newNode(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:           name,
				corev1.LabelOSStable:           "linux",
				corev1.LabelArchStable:         goruntime.GOARCH,
				corev1.LabelInstanceTypeStable: "standin",
			},
		},
		Status: corev1.NodeStatus{
			Capacity:    capacity(),
			Allocatable: capacity(),
			Conditions:  nodeConditions(metav1.Now()),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: nodeAddress},
				{Type: corev1.NodeHostName, Address: name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(n.opts.Port)}},
			NodeInfo: corev1.NodeSystemInfo{
				OperatingSystem:         "linux",
				Architecture:            goruntime.GOARCH,
				OSImage:                 "stand-in",
				KernelVersion:           "0",
				ContainerRuntimeVersion: "standin://1.0.0",
				KubeletVersion:          version.Get().GitVersion,
				MachineID:               name,
				SystemUUID:              name,
				BootID:                  name,
			},
		},
	}
}

func capacity() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("10000"),
		corev1.ResourceMemory:           resource.MustParse("100Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Ti"),
		corev1.ResourcePods:             resource.MustParse("10000"),
	}
}

func nodeConditions(now metav1.Time) []corev1.NodeCondition {
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		return corev1.NodeCondition{
			Type: kind, Status: status, Reason: reason, Message: message,
			LastHeartbeatTime: now, LastTransitionTime: now,
		}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"),
	}
}

// renewLeases keeps the nodes alive until ctx ends.
func (n *nodes) renewLeases(ctx context.Context) error {
	ticker := time.NewTicker(leaseEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for _, name := range n.names() {
			if err := n.renewLease(ctx, name); err != nil && ctx.Err() == nil {
				klog.ErrorS(err, "A node's lease was not renewed", "node", name)
			}
		}
	}
}

func (n *nodes) renewLease(ctx context.Context, name string) error {
	leases := n.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	spec := coordinationv1.LeaseSpec{
		HolderIdentity:       ptr.To(name),
		LeaseDurationSeconds: ptr.To[int32](leaseDuration),
		RenewTime:            ptr.To(metav1.NowMicro()),
	}
	lease, err := leases.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec = spec
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}
