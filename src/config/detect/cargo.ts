import type { Found, Project } from './project.ts'
import { present } from './project.ts'

const home = '.drydock/cargo'
const homePath = `CARGO_HOME="$PWD/${home}"`

/**
 * A project with a Cargo.toml; its crates are fetched into a home of their own, which steps only
 * read.
 */
export function detectCargo(project: Project): Found | null {
  const manifest = project.files['Cargo.toml']
  if (manifest === undefined) return null
  const lockfile = project.files['Cargo.lock']
  const flag = lockfile === undefined ? '' : ' --locked'
  const fetched = lockfile === undefined ? hasOutsideCrates(project, manifests(project)) : /^source = "/m.test(lockfile)
  const cargo = fetched ? `${homePath} cargo` : 'cargo'
  const inputs = lockfile === undefined ? manifests(project) : present(project, ['Cargo.toml', 'Cargo.lock'])
  return {
    system: 'cargo',
    from: 'Cargo.toml',
    ...(fetched && {
      prepare: {
        name: 'crates',
        command: `${cargo} fetch${flag}`,
        inputs: [...inputs],
        outputs: [home],
        network: ['registry'],
      },
    }),
    steps: [
      { name: 'build', command: `${cargo} build${flag}` },
      { name: 'test', command: `${cargo} test${flag}` },
    ],
    ...(lockfile === undefined && {
      overlay: 'without a Cargo.lock cargo writes one',
      notes: ['A committed Cargo.lock makes the crates the same everywhere, and the tree can be read-only then.'],
    }),
    programs: ['cargo'],
  }
}

function manifests({ files }: Project): readonly string[] {
  return Object.keys(files).filter((path) => /(?:^|\/)Cargo\.toml$/.test(path))
}

/** Whether any manifest names a crate that is not a path, as far as its lines say. */
function hasOutsideCrates({ files }: Project, paths: readonly string[]): boolean {
  return paths.some((path) => {
    let inDependencies = false
    return (files[path] ?? '').split('\n').some((line) => {
      const table = /^\s*\[([^\]]+)\]/.exec(line)?.[1]
      if (table !== undefined) inDependencies = /(?:^|[.-])dependencies(?:$|\.)/.test(table)
      return inDependencies && /^\s*[\w"-]+\s*=\s*["{]/.test(line) && !/\bpath\s*=/.test(line)
    })
  })
}
