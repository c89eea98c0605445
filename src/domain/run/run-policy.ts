/**
 * The way in which a Run works. It is chosen here when the Run is asked for, and kept with it;
 * everything else reads the part that it depends on.
 */
export interface RunPolicy {
  /** `named`: its work is split into stories, which people name; `one`: the Run is named alone. */
  readonly stories: 'named' | 'one'
  /** Approves each plan before its editor codes; null where a valid plan needs no approval. */
  readonly planReviewer: 'architect' | 'human' | null
  /**
   * Reviews changes, answers editors, and judges figures. Without one a green change ends its
   * story, and a person decides about the findings of the gate.
   */
  readonly reviewer: 'architect' | null
  /**
   * Whether an architect writes tests that no editor sees: `asked` for by a person; `usual`, unless
   * the configuration says otherwise; `unusual`, if the configuration says so.
   */
  readonly acceptance: 'asked' | 'usual' | 'unusual'
  /** The holder of a coder slot: a story while it works, or the Run from its start to its end. */
  readonly slot: 'story' | 'run'
  /** `merged`: a green story goes into the Run's branch at once; `handed_over`: as the Run ends. */
  readonly result: 'merged' | 'handed_over'
}

/** Whether people name its stories, also before there are any. */
export function namesStories({ data: { policy } }: { readonly data: { readonly policy: RunPolicy } }): boolean {
  return policy.stories === 'named'
}

/** The part of a request that its policy depends on. */
export interface PolicyRequest {
  readonly kind: 'task' | 'spec' | 'interview' | 'scout' | 'verify'
  readonly reviewed?: true
  readonly planReviewed?: true
  readonly testsWritten?: true
}

const ofStories: RunPolicy = {
  stories: 'named',
  planReviewer: 'architect',
  reviewer: 'architect',
  acceptance: 'usual',
  slot: 'story',
  result: 'merged',
}

/** The policy of a Run that is asked for; a Run of an older Drydock gets it when it is read. */
export function policyFor({ kind, reviewed, planReviewed, testsWritten }: PolicyRequest): RunPolicy {
  if (kind === 'spec' || kind === 'interview') return ofStories
  const reviewer = reviewed ? 'architect' : null
  // A person who asks to see the plan is not asked by way of the architect.
  const planReviewer = planReviewed ? 'human' : reviewer
  const acceptance = testsWritten ? 'asked' : 'unusual'
  return { stories: 'one', planReviewer, reviewer, acceptance, slot: 'run', result: 'handed_over' }
}
