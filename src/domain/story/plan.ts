import { canonicalJson } from '../canonical-json.ts'

/** An editor's plan (seed: coding-agent-workflow, section 3, step 1). */
export interface Plan {
  readonly behaviour_change: string
  readonly acceptance_criteria: readonly string[]
  readonly non_goals: readonly string[]
  readonly slices: readonly string[]
  readonly files: readonly string[]
  readonly tests: readonly string[]
  readonly hypothesis?: string | undefined
}

/**
 * True if two plans describe the same change, word for word. A new hypothesis about the cause makes
 * no difference.
 */
export function isSamePlan(a: Plan, b: Plan): boolean {
  return wordsOf(a) === wordsOf(b)
}

function wordsOf({ hypothesis: _, ...plan }: Plan): string {
  return canonicalJson(plan).replace(/(?:\s|\\[nrt])+/g, ' ')
}

const noChange = [
  /^(?:none|nothing|n\/a|no changes?)(?: at all| intended| expected| visible)?$/,
  /^(?:there (?:is|are) |this is |it is )?(?:no|none|without(?: a| any)?|zero)(?: (?:user[- ]visible|observable|functional|external|intended|visible|public|behaviou?r(?:al)?|semantic|changes?|in|to|of|the|any|and|or|api|output|results?|functionality))*$/,
  /^(?:nothing changes|(?:the )?(?:observable |external )?behaviou?r (?:stays|remains|is|does not change)(?: (?:exactly |entirely )?(?:the same|unchanged|as it (?:is|was)|identical))?)$/,
  /^(?:this is |it is )?(?:an? )?(?:pure|pure internal|internal|mechanical|behaviou?r[- ]preserving)?\s?(?:refactor(?:ing)?|clean[- ]?up|rename|renaming)(?: only)?$/,
]

/** Words that announce a change after all. */
const contrast =
  /\b(?:but|except|apart|aside|other than|beside|besides|however|although|also|additionally|now|instead|unless|longer|only when|fix(?:es|ed)?|adds?|added|new|plus|and then)\b/

/**
 * True if a plan says that no behaviour changes: then no test can fail without it. In doubt, false.
 */
export function declaresRefactor({ behaviour_change }: Plan): boolean {
  const said = behaviour_change.slice(0, 1_000).trim().toLowerCase().replace(/\s+/g, ' ')
  const [first = ''] = said.split(/[.;:,(—–!\n]| - /, 1)
  return first.trim() !== 'no' && noChange.some((phrase) => phrase.test(first.trim())) && !contrast.test(said)
}

/**
 * Changed files that the plan names neither as files nor as tests. A planned folder, or the folder
 * of a glob, covers all files in it.
 */
export function filesOutsidePlan(changed: readonly string[], plan: Plan): readonly string[] {
  const planned = [...plan.files, ...plan.tests].map((entry) => entry.replace(/^\.\//, ''))
  const covers = (entry: string, file: string) => {
    const path = entry.replace(/[:#].*$/, '')
    const folder = path.replace(/[^/]*\*.*$/, '').replace(/\/$/, '')
    return entry === file || path === file || file.startsWith(`${folder}/`)
  }
  return changed.filter((file) => !planned.some((entry) => covers(entry, file)))
}

/** True if a path looks like that of a test, in the conventions of the common languages. */
export function isTestFile(path: string): boolean {
  const common =
    /(^|\/)(tests?|__tests__|specs?|e2e|androidTest|integrationTest)\/|[._-](test|spec|cy|e2e)s?\.[^/]+$|(^|\/)tests?\.[^/]+$|(^|\/)test_[^/]+\.(py|rb|c|cc|cpp|cxx)$|\.(bats|feature)$|(^|\/)t\/[^/]+\.t$/i
  return (
    common.test(path) ||
    /(^|\/|[a-z0-9])(Tests?|IT|Spec|Specs|TestCase)\.(java|kt|scala|groovy|cs|swift|php)$/.test(path)
  )
}
