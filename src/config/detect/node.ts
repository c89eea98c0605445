import { posix } from 'node:path'
import { parseObject } from './json-object.ts'
import { findInstall, type Install } from './node-install.ts'
import { findScripts } from './node-scripts.ts'
import type { Found, Project } from './project.ts'

/**
 * A project with a package.json whose scripts check something; its packages are installed by npm,
 * pnpm or yarn.
 */
export function detectNode(project: Project): Found | null {
  const manifest = parseObject(project.files['package.json'])
  if (manifest === null) return null
  const { steps, testsAlone, text, writer, leftOut } = findScripts(manifest)
  if (steps.length === 0) return null
  const { prepare, before, notes } = ofWorkspace(project, text) ?? findInstall(project, manifest, text)
  return {
    system: 'node',
    from: 'package.json',
    ...(prepare && { prepare }),
    steps: steps.map((step) => ({ ...step, command: `${before}${step.command}` })),
    ...(testsAlone && { instead: [{ ...testsAlone, command: `${before}${testsAlone.command}` }] }),
    ...(writer !== null && { overlay: `the script "${writer}" writes into the tree` }),
    notes: [
      ...notes,
      ...leftOut.map(
        ({ name, flag }) =>
          `The script "${name}" is left out: it rewrites what it should check (${flag}). Add a step that only checks.`,
      ),
      ...(steps.some(({ name }) => name === 'test')
        ? []
        : ['package.json has no script "test": the gate does not run any test.']),
    ],
    programs: ['node', 'npm'],
  }
}

const lockfiles = ['pnpm-lock.yaml', 'yarn.lock', 'package-lock.json', 'npm-shrinkwrap.json']

/**
 * A package without a lockfile of its own is installed with the others of its repository, whose
 * lockfile is at the root.
 */
function ofWorkspace({ files, inside }: Project, scripts: string): Install | null {
  if (inside === undefined || lockfiles.some((name) => name in files)) return null
  const { repository, folder } = inside
  const manifest = parseObject(repository.files['package.json']) ?? {}
  if (!lockfiles.some((name) => name in repository.files)) return null
  const { prepare, before, notes } = findInstall(repository, manifest, scripts)
  if (prepare === null || !prepare.inputs?.includes(posix.join(folder, 'package.json'))) return null
  const root = posix.relative(folder, '')
  const moved = (paths: readonly string[]) => paths.map((path) => posix.relative(folder, path))
  return {
    prepare: {
      ...prepare,
      command: `cd ${root} && ${prepare.command}`,
      inputs: moved(prepare.inputs),
      outputs: moved(prepare.outputs),
    },
    before: before.replaceAll('$PWD/', `$PWD/${root}/`),
    notes,
  }
}
