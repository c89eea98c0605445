import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkTrees } from '../../../ports/work-trees.ts'
import type { HostParts } from '../git-parts.ts'
import { writeOwnConfig } from '../own-config.ts'
import { unlessMissing } from '../unless-missing.ts'
import { checkout } from './checkout.ts'
import { ignoredPaths } from './ignored-paths.ts'
import { makeMountPoints } from './mount-points.ts'
import { prepare } from './prepare.ts'
import { forgetSetAside, listSetAside } from './set-aside.ts'
import { makeSlot } from './slot.ts'
import { snapshot } from './snapshot.ts'

/** An `ignored` query that takes longer was deliberately slowed down by files of the workspace. */
const ignoredMs = 30_000

/** `submodules` is a parameter, since the location of submodules' files depends on the host. */
export function createWorkTrees(parts: HostParts, submodules: WorkTrees['submodules']): WorkTrees {
  const { layout, git, mirror } = parts
  return {
    async initialize(slots) {
      const { scratch, state } = layout
      for (const path of [scratch, join(state, 'workspaces'), join(state, 'checkouts'), layout.slots])
        await mkdir(path, { recursive: true })
      await writeOwnConfig(layout)
      await mirror.initialize()
      for (const slot of slots) await makeSlot(layout, slot)
    },
    path: layout.workspace,
    history: layout.history,
    isMade: async (slot) => (await unlessMissing(stat(layout.workspace(slot)))) !== null,
    prepare: (input, signal) => prepare(parts, input, signal),
    snapshot: (input, signal) => snapshot(parts, input, signal),
    setAside: (under) => listSetAside(layout, under),
    forgetSetAside: (under) => forgetSetAside(layout, under),
    async ignored(slot, paths) {
      const place = {
        gitDir: layout.slotGit(slot),
        workTree: layout.workspace(slot),
        signal: AbortSignal.timeout(ignoredMs),
      }
      const raw = await ignoredPaths(
        git,
        place,
        paths.map((path) => Buffer.from(path, 'utf8').toString('latin1')),
      )
      return raw.map((path) => Buffer.from(path, 'latin1').toString('utf8'))
    },
    checkout: (name, sha, signal) => checkout(parts, { name, sha }, signal),
    submodules,
    makeMountPoints,
  }
}
