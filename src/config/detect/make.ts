import { madeBy, readMakefile } from './makefile.ts'
import type { DetectedSystem, Project } from './project.ts'

/** Names of test targets; later groups are used only if the earlier ones do not exist. */
const testTargets = [
  ['test', 'check'],
  ['tests'],
  ['unittest', 'unit-test', 'unittests', 'unit-tests', 'test-unit'],
  ['run-tests', 'runtests'],
]

/**
 * A project whose Makefile has a test target. `all` runs too, since it builds, or runs more tests.
 */
export function detectMake({ files }: Project): DetectedSystem | null {
  const from = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => name in files)
  if (from === undefined) return null
  const rules = readMakefile(files[from] ?? '')
  const does = (target: string) => {
    const { needs = [], recipe = [] } = rules.get(target) ?? {}
    return needs.length + recipe.length > 0
  }
  const named = testTargets.map((names) => names.filter((name) => rules.has(name))).find((names) => names.length > 0)
  const there = named?.some(does) ? named.filter(does) : (named?.slice(0, 1) ?? [])
  const tests = there.filter((name) => !there.some((other) => other !== name && madeBy(rules, other).has(name)))
  // The targets may be aliases of each other, so only the first one is used.
  const [first] = there
  if (first === undefined) return null
  const targets = tests.length > 0 ? tests : [first]
  const ofAll = madeBy(rules, 'all')
  const inAll = targets.filter((name) => ofAll.has(name))
  const steps = targets.map((name) => ({ name, command: `make ${inAll.includes(name) ? 'all' : name}` }))
  const isBuilt = !does('all') || targets.some((name) => madeBy(rules, name).has('all'))
  return {
    system: 'make',
    from,
    steps: [
      ...(isBuilt || inAll.length > 0 ? [] : [{ name: 'build', command: 'make all' }]),
      ...steps.filter(({ command }, i) => steps.findIndex((other) => other.command === command) === i),
    ],
    overlay: 'make builds in the tree itself',
    programs: ['make'],
  }
}
