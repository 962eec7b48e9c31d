package plan

// unchangedNote is on objects that are written though they are as wanted.
const unchangedNote = "it is as wanted, and written all the same (--always-write)"

// WriteUnchanged makes the plan write what is as wanted too, as the original tool
// does with each apply. What others make, what is never updated and what has finished
// stays as it is. The values are those that are live, so nobody's are taken; where
// another manager has one in other words, the words become ours. The plan was made with
// Planner.Refresh and Planner.KeepEvidence.
func (p *Plan) WriteUnchanged() {
	for _, o := range p.Objects {
		if o.Op != OpNone || o.Live == nil || o.Send == nil || o.evidence == nil || o.Finished || o.Strategy.LeftAlone() || o.Strategy.Update == UpdateSkip {
			continue
		}
		if o.Mapping.OnlyPut() {
			o.Send = putOver(o.Live, o.Send, *o.evidence)
		}
		o.Op, o.Force = OpUpdate, true
		o.Notes = append(o.Notes, unchangedNote)
	}
}
