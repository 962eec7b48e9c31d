package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AddToScheme makes the kinds known to a scheme.
func AddToScheme(s *runtime.Scheme) {
	s.AddKnownTypes(GroupVersion(),
		&Application{}, &ApplicationList{},
		&ApplicationPackage{}, &ApplicationPackageList{},
		&ApplicationPackageVersion{}, &ApplicationPackageVersionList{},
		&PackageRepository{}, &PackageRepositoryList{},
		&PackageRepositoryOperation{}, &PackageRepositoryOperationList{},
		&Module{}, &ModuleList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion())
}
