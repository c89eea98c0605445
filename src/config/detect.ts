import type { RepositoryConfigInput } from './schema.ts'

/** The files at the root of a repository that say how it is built and tested, by name. */
export type RootFiles = Readonly<Record<string, string>>

export type Detection =
  | {
      readonly config: RepositoryConfigInput
      /** Which files the steps come from. */
      readonly from: readonly string[]
      /** What a person should know before relying on it, one sentence each. */
      readonly notes: readonly string[]
    }
  | { readonly config: null; readonly reason: string }

interface Step {
  readonly name: string
  readonly command: string
}

interface Found {
  /** Put before the names of the steps when there is more than one build system. */
  readonly system: string
  readonly from: string
  readonly steps: readonly Step[]
  readonly notes?: readonly string[]
}

/** Names of the files that `detectConfig` looks at; all others need not be read. */
export const detectedFiles: readonly string[] = [
  ...['package.json', 'pnpm-lock.yaml', 'yarn.lock', 'Cargo.toml', 'Cargo.lock', 'go.mod'],
  ...['pyproject.toml', 'pytest.ini', 'setup.py', 'setup.cfg', 'conftest.py', 'requirements.txt'],
  ...['Makefile', 'makefile', 'GNUmakefile'],
]

/** The configuration that `drydock init` writes, made from what the repository already uses. */
export function detectConfig(files: RootFiles): Detection {
  const systems = [detectNode, detectCargo, detectGo, detectPython].flatMap((detect) => detect(files) ?? [])
  const found = systems.length > 0 ? systems : [detectMake(files) ?? []].flat()
  if (found.length === 0) return { config: null, reason: nothingFound(files) }
  const steps = found.flatMap(({ system, steps }) =>
    found.length === 1 ? steps : steps.map((step) => ({ ...step, name: `${system}-${step.name}` })),
  )
  return {
    config: { verification: { steps } },
    from: found.map(({ from }) => from),
    notes: found.flatMap(({ notes = [] }) => notes),
  }
}

const nodeScripts = ['lint', 'build', 'test']

function detectNode(files: RootFiles): Found | null {
  const manifest = parseObject(files['package.json'])
  if (manifest === null) return null
  const scripts = objectAt(manifest, 'scripts')
  const runner = 'pnpm-lock.yaml' in files ? 'pnpm' : 'yarn.lock' in files ? 'yarn' : 'npm'
  const steps = nodeScripts
    .filter((name) => isRealScript(scripts[name]))
    .map((name) => ({ name, command: name === 'test' ? `${runner} test` : `${runner} run ${name}` }))
  if (steps.length === 0) return null
  const dependencies = { ...objectAt(manifest, 'dependencies'), ...objectAt(manifest, 'devDependencies') }
  const needsInstall = Object.keys(dependencies).length > 0
  return { system: 'node', from: 'package.json', steps, notes: needsInstall ? [installNote('node_modules')] : [] }
}

/** `npm init` writes a test script that only fails. */
function isRealScript(script: unknown): boolean {
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified')
}

function detectCargo(files: RootFiles): Found | null {
  const manifest = files['Cargo.toml']
  if (manifest === undefined) return null
  const flag = 'Cargo.lock' in files ? ' --locked' : ''
  const needsCrates = /^\[(?:[\w.-]+\.)?(?:dev-|build-)?dependencies[\].]/m.test(manifest)
  return {
    system: 'cargo',
    from: 'Cargo.toml',
    steps: [
      { name: 'build', command: `cargo build${flag}` },
      { name: 'test', command: `cargo test${flag}` },
    ],
    notes: needsCrates ? [installNote('crates')] : [],
  }
}

function detectGo(files: RootFiles): Found | null {
  const manifest = files['go.mod']
  if (manifest === undefined) return null
  return {
    system: 'go',
    from: 'go.mod',
    steps: [
      { name: 'build', command: 'go build ./...' },
      { name: 'vet', command: 'go vet ./...' },
      { name: 'test', command: 'go test ./...' },
    ],
    notes: /^\s*require\b/m.test(manifest) ? [installNote('modules')] : [],
  }
}

function detectPython(files: RootFiles): Found | null {
  const from = ['pyproject.toml', 'pytest.ini', 'setup.py', 'setup.cfg'].find((name) => name in files)
  if (from === undefined) return null
  const mentions = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'].some((name) =>
    /\bpytest\b/.test(files[name] ?? ''),
  )
  const usesPytest = mentions || 'pytest.ini' in files || 'conftest.py' in files
  const command = usesPytest ? 'python3 -m pytest' : 'python3 -m unittest discover'
  return {
    system: 'python',
    from,
    steps: [{ name: 'test', command }],
    notes: usesPytest ? [installNote('packages, pytest itself among them,')] : [],
  }
}

function detectMake(files: RootFiles): Found | null {
  const from = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => name in files)
  if (from === undefined || !/^test\s*:(?!=)/m.test(files[from] ?? '')) return null
  return { system: 'make', from, steps: [{ name: 'test', command: 'make test' }] }
}

function installNote(what: string): string {
  return `The steps run without a network in a clean checkout: ${what} must be part of the repository or of the machine, as nothing installs them yet.`
}

function nothingFound(files: RootFiles): string {
  const seen = detectedFiles.filter((name) => name in files)
  return seen.length === 0
    ? `None of ${detectedFiles.join(', ')} is at the root of the repository.`
    : `No build or test command was found in ${seen.join(', ')}.`
}

function parseObject(text: string | undefined): Readonly<Record<string, unknown>> | null {
  if (text === undefined) return null
  try {
    return asObject(JSON.parse(text))
  } catch {
    // A package.json that is not JSON names no script.
    return null
  }
}

function objectAt(parent: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  return asObject(parent[key]) ?? {}
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null
}
