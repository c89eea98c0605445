import { isPythonTests, isRequirements, type Project } from './project.ts'
import type { PackageList } from './python-lists.ts'
import { normalName, packageName } from './python-lists.ts'

/** True if a requirement names a package that the project's tests use. */
export type IsTestTool = (requirement: string) => boolean

/** pytest, the plugins that its settings and tests name, and the packages that tests import. */
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

/** Fixture names that belong to a plugin with another name. */
const fixtures: Readonly<Record<string, string>> = { mock: 'mocker', xdist: 'n', httpx: 'httpx_mock', django: 'db' }

/** Returns the text of all pytest sections, without others, which may list packages. */
function settingsIn(text: string): string {
  const sections = text.matchAll(/^\[(?:tool[.:])?pytest[\w.]*\]\n((?:(?!\[[\w.:-]+\]\s*$).*\n?)*)/gm)
  return [...sections].map(([, section = '']) => section).join('\n')
}

/** Many packages have "python" in their names, but not in the names of their modules. */
function plainName(name: string): string {
  return name.replace(/^(?:python-|py(?=[a-z]))/, '').replace(/-python$/, '')
}

/** True for lists whose name says that they are for tests; test data may look like a list, too. */
function isNamedForTests({ kind, name }: PackageList): boolean {
  if (kind === 'file' && !isRequirements(name)) return false
  return kind !== 'named' && /(?:^|[/_.-])(?:tests?|testing)(?:$|[/_.-])/.test(name)
}

interface Choice {
  readonly lists: readonly PackageList[]
  /** The packages that are installed already. */
  readonly has: readonly string[]
  readonly isTool: IsTestTool
}

/**
 * The lists to install for the tests: those named for tests, and the fewest others that provide
 * each tool that the tests use. Of two lists with the same tool, the one with fewer other packages
 * wins.
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
