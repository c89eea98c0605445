import { posix } from 'node:path'
import { parseObject } from './json-object.ts'
import { findInstall, hasLockfile, type Install, workspaceNeeds } from './node-install.ts'
import { findScripts } from './node-scripts.ts'
import { findWorkspaceScripts } from './node-workspace.ts'
import type { DetectedSystem, Project } from './project.ts'
import { preparedAbove, workspaceAbove } from './workspace-above.ts'

/**
 * A project with a package.json whose scripts, or those of its workspace's packages, check
 * something. Its packages are installed by npm, pnpm, yarn or bun.
 */
export function detectNode(project: Project): DetectedSystem | null {
  const manifest = parseObject(project.files['package.json'])
  if (manifest === null) return null
  const own = findScripts(manifest)
  const { steps, testsAlone, text, writer, leftOut } =
    own.steps.length > 0 ? own : (findWorkspaceScripts(project, manifest) ?? own)
  if (steps.length === 0) return null
  const { prepare, before, notes } = ofWorkspace(project, text) ?? findInstall(project, manifest, text)
  const missing = workspaceNeeds(project, manifest)
  return {
    system: 'node',
    from: 'package.json',
    ...(prepare && { prepare }),
    steps: steps.map((step) => ({ ...step, command: `${before}${step.command}` })),
    ...(testsAlone && { instead: [{ ...testsAlone, command: `${before}${testsAlone.command}` }] }),
    ...(writer !== null && { overlay: `the script "${writer}" writes into the tree` }),
    notes: [
      ...notes,
      ...missing,
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

/**
 * A package without its own lockfile is installed together with its workspace, whose lockfile is in
 * a folder above.
 */
function ofWorkspace(project: Project, scripts: string): Install | null {
  if (hasLockfile(project)) return null
  let found: Install | null = null
  const above = workspaceAbove(project, (root, member) => {
    if (!hasLockfile(root) && !('pnpm-workspace.yaml' in root.files)) return false
    found = findInstall(root, parseObject(root.files['package.json']) ?? {}, scripts)
    return found.prepare?.inputs?.includes(posix.join(member, 'package.json')) ?? false
  })
  if (above === null || found === null) return null
  const { prepare, before, notes } = found as Install
  if (prepare === null) return null
  return {
    prepare: preparedAbove(prepare, above.up),
    before: before.replaceAll('$PWD/', `$PWD/${above.up}/`),
    notes,
  }
}
