import { type LostTests, lostTests } from '../../domain/verification/assurance.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { TreeTests } from '../tests-of-tree.ts'

/** True if a runner has named a test. */
export const isNamed = ({ tests }: TreeTests): boolean =>
  Object.values(tests).some((report) => (report?.tests.length ?? 0) > 0)

interface Between {
  readonly base: TreeTests
  readonly change: TreeTests
  readonly between: TreeTests | null
  /** Steps whose commands compare results with files; only these can turn green by a file alone. */
  readonly comparing: ReadonlySet<string>
  readonly renamed?: ReadonlySet<string>
}

/**
 * The tests of all steps that pass before and with the change, and not between. A step counts as a
 * test where no runner names one, or where its command compares files.
 */
export function lostBetween({ base, change, between, comparing, renamed = new Set() }: Between): LostTests {
  const isGreenIn = (tests: TreeTests | null, step: string) => {
    const ran = tests?.commands.find(({ name }) => name === step)
    return ran !== undefined && isGreen(ran, tests?.tests[step] ?? null)
  }
  const isRed = (tests: TreeTests | null, step: string) =>
    tests?.commands.some(({ name }) => name === step) === true && !isGreenIn(tests, step)
  const steps = change.commands.map(({ name }) => name)
  if (!isNamed(base)) {
    const asked = steps.filter((step) => isGreenIn(base, step) && isGreenIn(change, step))
    const failing = asked.filter((step) => !isGreenIn(between, step)).map((step) => `step ${step}`)
    const red = steps.filter((step) => comparing.has(step) && isRed(base, step) && isGreenIn(change, step))
    const greened = red.filter((step) => isRed(between, step)).map((step) => `step ${step}`)
    return { failing, unrun: [], asked: asked.length, greened, gone: [] }
  }
  const all = steps.map((step) => {
    const own = { base: base.tests[step] ?? null, change: change.tests[step] ?? null, renamed }
    const isGreenBetween = isGreenIn(between, step)
    const lost = lostTests({ ...own, between: between?.tests[step] ?? null, isGreen: isGreenBetween })
    // The step counts as a test without a name.
    if (comparing.has(step) && own.base === null && isGreenIn(change, step)) {
      const told = isRed(between, step) ? [`step ${step}`] : []
      return isGreenIn(base, step)
        ? { failing: told, unrun: [], asked: 1, greened: [], gone: [] }
        : { failing: [], unrun: [], asked: 0, greened: isRed(base, step) ? told : [], gone: [] }
    }
    const isUnexplained =
      own.base?.complete === false && !isGreenBetween && [...lost.failing, ...lost.unrun, ...lost.greened].length === 0
    if (!isUnexplained || !isGreenIn(base, step) || !isGreenIn(change, step)) return lost
    return { ...lost, failing: [`step ${step}`], asked: lost.asked + 1 }
  })
  return {
    failing: all.flatMap(({ failing }) => failing),
    unrun: all.flatMap(({ unrun }) => unrun),
    asked: all.reduce((sum, { asked }) => sum + asked, 0),
    greened: all.flatMap(({ greened }) => greened),
    gone: all.flatMap(({ gone }) => gone),
  }
}

/** The steps that name no test, such as compilers and linters. */
export function namelessSteps({ commands, tests }: TreeTests): readonly string[] {
  return commands.flatMap(({ name }) => ((tests[name]?.tests.length ?? 0) === 0 ? [name] : []))
}
