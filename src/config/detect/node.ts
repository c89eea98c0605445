import { parseObject } from './json-object.ts'
import { findInstall } from './node-install.ts'
import { findScripts } from './node-scripts.ts'
import type { Found, Project } from './project.ts'

/** A project with a package.json whose scripts check something; its packages are installed by npm, pnpm or yarn. */
export function detectNode(project: Project): Found | null {
  const manifest = parseObject(project.files['package.json'])
  if (manifest === null) return null
  const { steps, text, writer, leftOut } = findScripts(manifest)
  if (steps.length === 0) return null
  const { prepare, before, notes } = findInstall(project, manifest, text)
  return {
    system: 'node',
    from: 'package.json',
    ...(prepare && { prepare }),
    steps: steps.map((step) => ({ ...step, command: `${before}${step.command}` })),
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
