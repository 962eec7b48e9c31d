package standin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const podWorkers = 8

// pods walks the Pods of our nodes through their fates.
type pods struct {
	client    kubernetes.Interface
	nodes     []string
	processes *processes
	recorder  *podEvents
	informers informers.SharedInformerFactory
	informer  cache.SharedIndexInformer
	queue     workqueue.TypedRateLimitingInterface[cache.ObjectName]

	mu sync.Mutex
	// seen tells when what was first seen of each Pod.
	seen map[types.UID]Clock
}

func newPods(client kubernetes.Interface, nodes []string, processes *processes) *pods {
	bound := informers.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
	})
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, bound)
	return &pods{
		client:    client,
		nodes:     nodes,
		processes: processes,
		recorder:  newPodEvents(client),
		informers: factory,
		informer:  factory.Core().V1().Pods().Informer(),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](20*time.Millisecond, 5*time.Second)),
		seen: map[types.UID]Clock{},
	}
}

// run works until ctx ends.
func (p *pods) run(ctx context.Context) error {
	defer p.recorder.stop()
	if err := p.watch(); err != nil {
		return err
	}
	p.informers.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), p.informer.HasSynced) {
		return ctx.Err()
	}
	var workers sync.WaitGroup
	for range podWorkers {
		workers.Go(func() {
			for p.workOnce(ctx) {
			}
		})
	}
	<-ctx.Done()
	p.queue.ShutDown()
	workers.Wait()
	return nil
}

func (p *pods) watch() error {
	_, err := p.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    p.enqueue,
		UpdateFunc: func(_, pod any) { p.enqueue(pod) },
		DeleteFunc: p.forget,
	})
	if err != nil {
		return fmt.Errorf("watch pods: %w", err)
	}
	return nil
}

func (p *pods) enqueue(object any) {
	if pod, ok := object.(*corev1.Pod); ok && slices.Contains(p.nodes, pod.Spec.NodeName) {
		p.queue.Add(cache.MetaObjectToName(pod))
	}
}

func (p *pods) forget(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return
	}
	p.mu.Lock()
	delete(p.seen, pod.UID)
	p.mu.Unlock()
	p.processes.stop(pod.UID)
}

// get returns a Pod of ours as last seen.
func (p *pods) get(namespace, name string) (*corev1.Pod, bool) {
	object, found, err := p.informer.GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !found {
		return nil, false
	}
	pod, ok := object.(*corev1.Pod)
	return pod, ok
}

// clock tells the time for a Pod. What happened before this process was started
// has to be told by the Pod itself.
func (p *pods) clock(pod *corev1.Pod) Clock {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	clock, found := p.seen[pod.UID]
	if !found {
		clock.Since = now
		if pod.Status.StartTime != nil {
			clock.Since = pod.Status.StartTime.Time
		}
	}
	if pod.DeletionTimestamp != nil && clock.Asked.IsZero() {
		clock.Asked = now
	}
	clock.Now = now
	p.seen[pod.UID] = clock
	return clock
}

func (p *pods) workOnce(ctx context.Context) bool {
	key, shutdown := p.queue.Get()
	if shutdown {
		return false
	}
	defer p.queue.Done(key)
	pod, found := p.get(key.Namespace, key.Name)
	if !found {
		return true
	}
	again, err := p.advance(ctx, pod)
	switch {
	case err == nil:
		p.queue.Forget(key)
	case apierrors.IsNotFound(err) || ctx.Err() != nil:
		return true
	default:
		if !apierrors.IsConflict(err) {
			klog.ErrorS(err, "A pod did not advance", "pod", key)
		}
		p.queue.AddRateLimited(key)
		return true
	}
	if again > 0 {
		p.queue.AddAfter(key, again)
	}
	return true
}

// advance takes one step with a Pod.
func (p *pods) advance(ctx context.Context, pod *corev1.Pod) (time.Duration, error) {
	step := Next(pod, p.processes.state(pod.UID), p.clock(pod))
	if step.Delete {
		p.processes.stop(pod.UID)
		return 0, p.remove(ctx, pod)
	}
	if step.Ask {
		p.processes.ask(pod.UID)
	}
	if step.Start {
		p.startProcess(ctx, pod)
		step.Again = time.Millisecond
	}
	if step.Status == nil || equality.Semantic.DeepEqual(&pod.Status, step.Status) {
		return step.Again, nil
	}
	changed := pod.DeepCopy()
	changed.Status = *step.Status
	if _, err := p.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, changed, metav1.UpdateOptions{}); err != nil {
		return 0, fmt.Errorf("update status: %w", err)
	}
	p.recorder.report(pod, changed)
	return step.Again, nil
}

// startProcess starts the process of a Pod, unless the Pod went meanwhile: then
// nobody else would end it.
func (p *pods) startProcess(ctx context.Context, pod *corev1.Pod) {
	p.processes.start(ctx, pod, func() { p.enqueue(pod) })
	if present, found := p.get(pod.Namespace, pod.Name); !found || present.UID != pod.UID {
		p.processes.stop(pod.UID)
	}
}

func (p *pods) remove(ctx context.Context, pod *corev1.Pod) error {
	options := metav1.NewDeleteOptions(0)
	options.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
	err := p.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *options)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		// Gone, or another Pod has its name now.
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete pod: %w", err)
	}
	return nil
}
