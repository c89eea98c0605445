/**
 * The way in which a Run works. It is chosen here when the Run is asked for, and kept with it;
 * everything else reads the part that it depends on.
 */
export interface RunPolicy {
  /** `named`: its work is split into stories, which people name; `one`: the Run is named alone. */
  readonly stories: 'named' | 'one'
  /**
   * Reviews plans and changes, answers editors, and judges figures. Without one a green change
   * ends its story, and a person decides about the findings of the gate.
   */
  readonly reviewer: 'architect' | null
  /** The holder of a coder slot: a story while it works, or the Run from its start to its end. */
  readonly slot: 'story' | 'run'
  /** `merged`: a green story goes into the Run's branch at once; `handed_over`: as the Run ends. */
  readonly result: 'merged' | 'handed_over'
}

/** The part of a request that its policy depends on. */
export interface PolicyRequest {
  readonly kind: 'task' | 'spec' | 'interview' | 'scout' | 'verify'
  readonly reviewed?: true
}

const ofStories: RunPolicy = { stories: 'named', reviewer: 'architect', slot: 'story', result: 'merged' }
const ofOne: RunPolicy = { stories: 'one', reviewer: null, slot: 'run', result: 'handed_over' }

/** The policy of a Run that is asked for; a Run of an older Drydock gets it when it is read. */
export function policyFor({ kind, reviewed }: PolicyRequest): RunPolicy {
  if (kind === 'spec' || kind === 'interview') return ofStories
  return reviewed ? { ...ofOne, reviewer: 'architect' } : ofOne
}
