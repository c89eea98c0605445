import { posix } from 'node:path'
import type { DetectedSystem, Project } from './project.ts'
import { isPlain, present, reportFile, reportPath } from './project.ts'
import { preparedAbove, workspaceAbove } from './workspace-above.ts'

const cache = '.drydock/go'

/**
 * A project with a go.mod, or with a go.work that names modules. The modules are downloaded into a
 * separate folder unless they are in vendor/.
 */
export function detectGo(project: Project): DetectedSystem | null {
  const used = usedModules(project)
  const from = 'go.mod' in project.files ? 'go.mod' : used.length > 0 ? 'go.work' : null
  if (from === null) return null
  const above =
    'go.work' in project.files ? null : workspaceAbove(project, (root, member) => usedModules(root).includes(member))
  const root = above?.root ?? project
  const modules = usedModules(root).length > 0 ? usedModules(root) : ['.']
  const manifests = modules.map((folder) => root.files[posix.join(folder, 'go.mod')] ?? '')
  const vendored = root.folders.has('vendor')
  const downloaded = !vendored && manifests.some((text) => /^\s*require\b/m.test(text))
  const go = (folder = cache) => (downloaded ? `GOMODCACHE="$PWD/${folder}" go` : 'go')
  // A module that the go.work above it does not name is not part of its workspace.
  const isAlone = above === null && workspaceAbove(project, ({ files }) => 'go.work' in files) !== null
  const alone = isAlone && !('go.work' in project.files) ? 'GOWORK=off ' : ''
  const run = `${alone}${go(above === null ? cache : posix.join(above.up, cache))}`
  // Overrides the -mod=readonly in the environment of steps.
  const flag = vendored ? ' -mod=vendor' : ''
  const packages =
    used.length === 0 ? './...' : used.map((folder) => (folder === '.' ? './...' : `./${folder}/...`)).join(' ')
  const reports = manifests.some((text) => text.includes('gotest.tools/gotestsum'))
  const test = reports
    ? {
        command: `${run} run${flag} gotest.tools/gotestsum --junitfile "${reportPath}" --${flag} ${packages}`,
        junit: reportFile,
      }
    : { command: `${run} test -json${flag} ${packages}` }
  const sums = modules.flatMap((folder) => ['go.mod', 'go.sum'].map((name) => posix.join(folder, name)))
  const prepare = {
    name: 'modules',
    // Writable, so that the layer can be removed later.
    command: `${alone}GOMODCACHE="$PWD/${cache}" GOFLAGS=-modcacherw go mod download`,
    inputs: [...present(root, [...(usedModules(root).length > 0 ? ['go.work', 'go.work.sum'] : []), ...sums])],
    outputs: [cache],
    network: ['registry'],
  }
  return {
    system: 'go',
    from,
    ...(downloaded && { prepare: above === null ? prepare : preparedAbove(prepare, above.up) }),
    steps: [
      { name: 'build', command: `${run} build${flag} ${packages}` },
      { name: 'vet', command: `${run} vet${flag} ${packages}` },
      { name: 'test', ...test },
    ],
    // `go test` does not even build a test about which `vet` complains.
    ...(!reports && { instead: [{ name: 'test', command: `${run} test -json -vet=off${flag} ${packages}` }] }),
    notes: notesOn(project, used),
    programs: ['go'],
  }
}

/** The existing folders of the modules that a go.work names. */
function usedModules({ files }: Project): readonly string[] {
  const text = (files['go.work'] ?? '').replace(/\/\/.*/g, '')
  const uses = [...text.matchAll(/^\s*use\s+(?:\(([^)]*)\)|(\S+))/gm)]
  const folders = uses.flatMap(([, many, one]) =>
    (many ?? one ?? '').split(/\s+/).map((path) => path.replaceAll('"', '')),
  )
  return folders
    .filter((path) => path !== '')
    .map((path) => posix.normalize(path).replace(/\/$/, ''))
    .filter((path) => (path === '.' || isPlain(path)) && posix.join(path, 'go.mod') in files)
}

/** `./...` does not include modules in folders below. */
function notesOn({ files }: Project, used: readonly string[]): readonly string[] {
  const others = Object.keys(files)
    .filter((path) => path.endsWith('/go.mod') && !/(?:^|\/)(?:testdata|examples?|_[^/]*)\//.test(path))
    .map((path) => posix.dirname(path))
    .filter((folder) => !used.includes(folder))
  if (others.length === 0) return []
  return [
    `The gate does not test the modules in ${others.join(', ')}. A go.work that names them makes them part of it.`,
  ]
}
