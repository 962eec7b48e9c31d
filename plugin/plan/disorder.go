package plan

import "slices"

// checkOrder finds out whether the plan can be carried out in some order, and
// which rules about order mean nothing in it. A plan without changes needs none.
func (p *Plan) checkOrder() {
	if !slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Op.Writes() }) {
		return
	}
	graph, err := Order(p.Objects, p.rules)
	p.Warnings = append(p.Warnings, graph.Warnings...)
	if p.Disorder = err; err != nil {
		p.Warnings = append(p.Warnings, "this can't be applied: "+err.Error())
	}
}
