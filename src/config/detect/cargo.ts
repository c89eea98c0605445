import { posix } from 'node:path'
import { objectAt } from './json-object.ts'
import type { DetectedSystem, Project } from './project.ts'
import { present } from './project.ts'
import { strings } from './python-lists.ts'
import { parseToml } from './toml.ts'
import { preparedAbove, workspaceAbove } from './workspace-above.ts'

const home = '.drydock/cargo'

/**
 * A project with a Cargo.toml. Its crates are fetched into a separate cargo home, which steps only
 * read.
 */
export function detectCargo(project: Project): DetectedSystem | null {
  const manifest = project.files['Cargo.toml']
  if (manifest === undefined) return null
  const above = 'workspace' in parseToml(manifest) ? null : workspaceAbove(project, isMember)
  const root = above?.root ?? project
  const lockfile = root.files['Cargo.lock']
  const flag = lockfile === undefined ? '' : ' --locked'
  const whole = 'workspace' in parseToml(manifest) ? ' --workspace' : ''
  const fetched = lockfile === undefined ? hasOutsideCrates(root, manifests(root)) : /^source = "/m.test(lockfile)
  const cargo = (folder = home) => (fetched ? `CARGO_HOME="$PWD/${folder}" cargo` : 'cargo')
  const inputs = lockfile === undefined ? manifests(root) : present(root, ['Cargo.toml', 'Cargo.lock'])
  const prepare = {
    name: 'crates',
    command: `${cargo()} fetch${flag}`,
    inputs: [...inputs],
    outputs: [home],
    network: ['registry'],
  }
  const run = cargo(above === null ? home : posix.join(above.up, home))
  return {
    system: 'cargo',
    from: 'Cargo.toml',
    ...(fetched && { prepare: above === null ? prepare : preparedAbove(prepare, above.up) }),
    steps: [
      { name: 'build', command: `${run} build${whole}${flag}` },
      { name: 'test', command: `${run} test${whole}${flag}` },
    ],
    ...(lockfile === undefined && {
      overlay: 'without a Cargo.lock cargo writes one',
      notes: ['A committed Cargo.lock makes the crates the same everywhere, and the tree can be read-only then.'],
    }),
    programs: ['cargo'],
  }
}

/** Cargo takes every package below a workspace for a member, except excluded ones. */
function isMember(root: Project, member: string): boolean {
  const { workspace } = parseToml(root.files['Cargo.toml'])
  return workspace !== undefined && !strings(objectAt({ workspace }, 'workspace').exclude).includes(member)
}

function manifests({ files }: Project): readonly string[] {
  return Object.keys(files).filter((path) => /(?:^|\/)Cargo\.toml$/.test(path))
}

/** True if any manifest names a crate that is not a path, judging by its lines. */
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
