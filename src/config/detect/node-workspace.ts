import { posix } from 'node:path'
import { type JsonObject, objectAt, parseObject } from './json-object.ts'
import { managerOf, memberFolders } from './node-install.ts'
import { findScripts, type Scripts } from './node-scripts.ts'
import type { Project, Step } from './project.ts'

/**
 * The scripts of a workspace's packages, if the root has none that checks something; the
 * workspace's tool runs them all. Null without a workspace.
 */
export function findWorkspaceScripts(project: Project, manifest: JsonObject): Scripts | null {
  const { files } = project
  const members = memberFolders(project, manifest).map((folder) =>
    findScripts(parseObject(files[posix.join(folder, 'package.json')]) ?? {}),
  )
  const targets = 'nx.json' in files ? nxTargets(project) : []
  const leftOut = members.flatMap((each) => each.leftOut).map(({ name, flag }) => ({ name, flag }))
  const steps = ['lint', 'typecheck', 'type-check', 'check-types', 'build', 'test'].flatMap((name): Step[] => {
    const isThere = targets.includes(name) || members.some((each) => each.steps.some((step) => step.name === name))
    if (!isThere || leftOut.some((each) => each.name === name)) return []
    return [{ name, command: commandFor(project, manifest, name) }]
  })
  if (steps.length === 0) return null
  const writers = members.filter(({ writer }) => writer !== null)
  const runner = steps.map(({ command }) => command).join('\n')
  const isCached = /\b(?:turbo|nx)\b/.test(runner)
  return {
    steps,
    testsAlone: null,
    text: runner,
    leftOut: leftOut.filter(({ name }, i) => leftOut.findIndex((other) => other.name === name) === i),
    writer: writers[0]?.writer ?? (isCached || targets.includes('build') ? (steps.at(-1)?.name ?? null) : null),
  }
}

function commandFor(project: Project, manifest: JsonObject, name: string): string {
  if ('nx.json' in project.files) return `NX_DAEMON=false npx nx run-many -t ${name}`
  if ('turbo.json' in project.files) return `npx turbo run ${name}`
  if (managerOf(project, manifest) === 'pnpm') return `pnpm -r --if-present run ${name}`
  return `npm run ${name} --workspaces --if-present`
}

/** The targets of nx projects, as far as files name them. */
function nxTargets({ files }: Project): readonly string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    /(?:^|\/)project\.json$/.test(path) ? Object.keys(objectAt(parseObject(text) ?? {}, 'targets')) : [],
  )
}
