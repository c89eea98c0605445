/**
 * The way in which a Run works. A Run stores the policy that is chosen for it here; all other code
 * reads the field that it depends on.
 */
export interface RunPolicy {
  /**
   * `named`: the work is split into stories, which people name; `one`: people name only the Run.
   */
  readonly stories: 'named' | 'one'
  /**
   * The approver of each plan before its editor codes; null where a valid plan needs no approval.
   */
  readonly planReviewer: 'architect' | 'human' | null
  /**
   * The reviewer of changes, who also answers editors and judges figures. Without one a green
   * change ends its story, and a person decides about the findings of the gate.
   */
  readonly reviewer: 'architect' | null
  /**
   * Decides if an architect writes tests that no editor sees. `asked`: yes, a person asked;
   * `usual`: yes, unless the configuration says otherwise; `unusual`: only if the configuration
   * says so.
   */
  readonly acceptance: 'asked' | 'usual' | 'unusual'
  /** The holder of a coder slot: a story while it works, or the Run from its start to its end. */
  readonly slot: 'story' | 'run'
  /**
   * `merged`: a green story goes into the Run's branch at once; `handed_over`: at the end of the
   * Run.
   */
  readonly result: 'merged' | 'handed_over'
}

/** True if people name the Run's stories, even before there are any. */
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

/** The policy of a requested Run; a Run of an older Drydock gets it when it is read. */
export function policyFor({ kind, reviewed, planReviewed, testsWritten }: PolicyRequest): RunPolicy {
  if (kind === 'spec' || kind === 'interview') return ofStories
  const reviewer = reviewed ? 'architect' : null
  // A person who asks to see the plan is asked directly, without an architect's review.
  const planReviewer = planReviewed ? 'human' : reviewer
  const acceptance = testsWritten ? 'asked' : 'unusual'
  return { stories: 'one', planReviewer, reviewer, acceptance, slot: 'run', result: 'handed_over' }
}
