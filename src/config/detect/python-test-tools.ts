import { isPythonTests, isRequirements, type Project } from './project.ts'
import type { PackageList } from './python-lists.ts'
import { normalName, packageName } from './python-lists.ts'

/** Whether a requirement names a package that the tests of a project use. */
export type IsTestTool = (requirement: string) => boolean

/** pytest, what its settings and its tests name of its plugins, and what tests import. */
export function testTools({ files }: Project, { pytest }: { readonly pytest: boolean }): IsTestTool {
  const tests = Object.entries(files).filter(([path]) => isPythonTests(path) || /(?:^|\/)conftest\.py$/.test(path))
  const settings = ['pyproject.toml', 'pytest.ini', 'tox.ini', 'setup.cfg'].map((path) => settingsIn(files[path] ?? ''))
  const texts = [...tests.map(([, text]) => text), ...settings].join('\n')
  const words = new Set(texts.match(/\w+/g))
  const imported = new Set(
    [...texts.matchAll(/^\s*(?:from|import)\s+(\w+)/gm)].map(([, name = '']) => plainName(normalName(name))),
  )
  return (requirement) => {
    const name = packageName(requirement)
    if (name === null) return false
    if (imported.has(plainName(name)) || imported.has(name)) return true
    if (!pytest || !/^pytest(?:-|$)/.test(name)) return false
    const plugin = name.slice('pytest-'.length).replaceAll('-', '_')
    return plugin === '' || words.has(plugin) || words.has(fixtures[plugin] ?? plugin)
  }
}

/** Words by which tests ask for a plugin that has another name. */
const fixtures: Readonly<Record<string, string>> = { mock: 'mocker', xdist: 'n', httpx: 'httpx_mock', django: 'db' }

/** The section of pytest, and no list of packages. */
function settingsIn(text: string): string {
  const sections = text.matchAll(/^\[(?:tool[.:])?pytest[\w.]*\]\n((?:(?!\[[\w.:-]+\]\s*$).*\n?)*)/gm)
  return [...sections].map(([, section = '']) => section).join('\n')
}

/** Many packages are called for Python, and the module in them is not. */
function plainName(name: string): string {
  return name.replace(/^(?:python-|py(?=[a-z]))/, '').replace(/-python$/, '')
}

/** Lists that are for tests by what they are called; data of tests may look like a list, too. */
function isNamedForTests({ kind, name }: PackageList): boolean {
  if (kind === 'file' && !isRequirements(name)) return false
  return kind !== 'named' && /(?:^|[/_.-])(?:tests?|testing)(?:$|[/_.-])/.test(name)
}

interface Choice {
  readonly lists: readonly PackageList[]
  /** Installed already. */
  readonly has: readonly string[]
  readonly isTool: IsTestTool
}

/**
 * The lists to install for the tests: those that are called so, and as few others as hold each tool
 * that the tests use. Of two that hold it, the one with less beside it.
 */
export function listsForTests({ lists, has, isTool }: Choice): readonly PackageList[] {
  const usable = lists.filter(({ packages }) => packages.length > 0)
  const taken = usable.filter(isNamedForTests)
  const toolsIn = (packages: readonly string[]) =>
    packages.filter(isTool).flatMap((requirement) => packageName(requirement) ?? [])
  const covered = new Set([has, ...taken.map(({ packages }) => packages)].flatMap((each) => toolsIn(each)))
  const rest = (list: PackageList) => list.packages.length - toolsIn(list.packages).length
  const order = usable
    .filter((list) => !taken.includes(list))
    .sort((a, b) => Number(a.kind === 'named') - Number(b.kind === 'named') || rest(a) - rest(b))
  for (const list of order) {
    const tools = toolsIn(list.packages)
    if (tools.every((tool) => covered.has(tool))) continue
    for (const tool of tools) covered.add(tool)
    taken.push(list)
  }
  const isNeeded = (list: PackageList) => {
    const others = taken.filter((other) => other !== list).flatMap(({ packages }) => toolsIn(packages))
    return isNamedForTests(list) || toolsIn(list.packages).some((tool) => !others.includes(tool))
  }
  for (const list of [...taken]) if (!isNeeded(list)) taken.splice(taken.indexOf(list), 1)
  return usable.filter((list) => taken.includes(list))
}
