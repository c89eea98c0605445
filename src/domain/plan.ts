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

/** Whether a plan says that nothing behaves otherwise afterwards: then no test can tell. */
export function declaresRefactor({ behaviour_change }: Plan): boolean {
  return /^\s*(none\b|nothing\b|no\b[^.]{0,40}\bchange|(pure )?refactor)/i.test(behaviour_change)
}

/** Files of a change that its plan names neither as files nor as tests. A planned folder, or a glob's folder, covers what is in it. */
export function filesOutsidePlan(changed: readonly string[], plan: Plan): readonly string[] {
  const planned = [...plan.files, ...plan.tests].map((entry) => entry.replace(/^\.\//, ''))
  const covers = (entry: string, file: string) => {
    const path = entry.replace(/[:#].*$/, '')
    const folder = path.replace(/[^/]*\*.*$/, '').replace(/\/$/, '')
    return entry === file || path === file || file.startsWith(`${folder}/`)
  }
  return changed.filter((file) => !planned.some((entry) => covers(entry, file)))
}

/** Whether a path looks like one of a test, in the conventions of the common languages. */
export function isTestFile(path: string): boolean {
  const common =
    /(^|\/)(tests?|__tests__|specs?)\/|[._-](test|spec)s?\.[^/]+$|(^|\/)tests?\.[^/]+$|(^|\/)test_[^/]+\.(py|rb)$/i
  return common.test(path) || /[a-z0-9](Tests?|Spec)\.(java|kt|scala|groovy|cs|swift|php)$/.test(path)
}
