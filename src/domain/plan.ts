/** What an editor means to do (seed: coding-agent-workflow, section 3, step 1). */
export interface Plan {
  readonly behaviour_change: string
  readonly acceptance_criteria: readonly string[]
  readonly non_goals: readonly string[]
  readonly slices: readonly string[]
  readonly files: readonly string[]
  readonly tests: readonly string[]
  readonly hypothesis?: string | undefined
}

/** Files of a change that its plan names neither as files nor as tests. A planned folder, or a glob's folder, covers what is in it. */
export function filesOutsidePlan(changed: readonly string[], plan: Plan): readonly string[] {
  const planned = [...plan.files, ...plan.tests].map((entry) => entry.replace(/^\.\//, '').replace(/[:#].*$/, ''))
  const covers = (entry: string, file: string) =>
    entry === file || file.startsWith(`${entry.replace(/\/?\*.*$/, '').replace(/\/$/, '')}/`)
  return changed.filter((file) => !planned.some((entry) => covers(entry, file)))
}

/** Whether a path looks like one of a test, in the conventions of the common languages. */
export function isTestFile(path: string): boolean {
  return /(^|\/)(tests?|__tests__|spec)\/|[._-](test|spec)s?\.[^/]+$|(^|\/)test_[^/]+\.py$|_test\.(go|py|rs|rb)$/i.test(
    path,
  )
}
