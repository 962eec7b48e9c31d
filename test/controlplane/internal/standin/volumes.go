package standin

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// StorageClass is the class whose claims are given a volume. No object of this
// name exists: claims of other classes stay pending, as without a provisioner.
const StorageClass = "standin"

const volumeLimit = 10 * time.Second

// volumes provisions volumes.
type volumes struct {
	client    kubernetes.Interface
	informers informers.SharedInformerFactory
}

func newVolumes(client kubernetes.Interface) *volumes {
	return &volumes{client: client, informers: informers.NewSharedInformerFactory(client, 0)}
}

func (v *volumes) run(ctx context.Context) error {
	claims := v.informers.Core().V1().PersistentVolumeClaims().Informer()
	handle := func(object any) {
		if claim, ok := object.(*corev1.PersistentVolumeClaim); ok {
			v.provision(ctx, claim)
		}
	}
	_, err := claims.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    handle,
		UpdateFunc: func(_, object any) { handle(object) },
	})
	if err != nil {
		return fmt.Errorf("watch claims: %w", err)
	}
	_, err = v.informers.Core().V1().PersistentVolumes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, object any) {
			if volume, ok := object.(*corev1.PersistentVolume); ok {
				v.reclaim(ctx, volume)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("watch volumes: %w", err)
	}
	v.informers.Start(ctx.Done())
	<-ctx.Done()
	return nil
}

func (v *volumes) provision(ctx context.Context, claim *corev1.PersistentVolumeClaim) {
	class := claim.Spec.StorageClassName
	if class == nil || *class != StorageClass || claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, volumeLimit)
	defer cancel()
	_, err := v.client.CoreV1().PersistentVolumes().Create(ctx, newVolume(claim), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		klog.ErrorS(err, "A claim got no volume", "claim", klog.KObj(claim))
	}
}

// reclaim removes the volume of a claim that is gone.
func (v *volumes) reclaim(ctx context.Context, volume *corev1.PersistentVolume) {
	if volume.Spec.StorageClassName != StorageClass || volume.Status.Phase != corev1.VolumeReleased {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, volumeLimit)
	defer cancel()
	err := v.client.CoreV1().PersistentVolumes().Delete(ctx, volume.Name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		klog.ErrorS(err, "A volume was not reclaimed", "volume", volume.Name)
	}
}

// newVolume is named after the claim's UID, so that there is one for each claim.
// Its policy is to retain, as the controller manager has no means to delete it;
// reclaim does that.
func newVolume(claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(claim.UID)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      claim.Spec.Resources.Requests,
			AccessModes:                   claim.Spec.AccessModes,
			StorageClassName:              StorageClass,
			VolumeMode:                    claim.Spec.VolumeMode,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/standin/" + string(claim.UID)},
			},
			ClaimRef: &corev1.ObjectReference{
				Kind: "PersistentVolumeClaim", APIVersion: "v1",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion,
			},
		},
	}
}
