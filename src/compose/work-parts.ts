import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { freeSpaceIn, hasRoom } from '../domain/free-space.ts'
import { createDependencyLayers } from '../gate/layers/dependency-layers.ts'
import { createTreeParts } from '../gate/layers/tree-parts.ts'
import { redactedReports } from '../gate/redacted-reports.ts'
import { createTestsOfTrees } from '../gate/tests-of-tree.ts'
import { createArchitectSandbox } from '../workflow/architect/architect-sandbox.ts'
import type { WorkflowDependencies } from '../workflow/dependencies.ts'
import { createSandboxes } from '../workflow/lane/sandboxes.ts'
import { createLayerSharing } from '../workflow/stored/share-layers.ts'

type Host = 'sandbox' | 'history' | 'workTrees' | 'artifacts' | 'clock' | 'redact' | 'slots' | 'reports'
type HostNeed = Host | 'store' | 'engine' | 'blobs'

interface WorkOptions extends Pick<WorkflowDependencies, HostNeed> {
  /** The folder with the mirror. */
  readonly state: string
  /**
   * The number of a verification's trees that run at the same time; derived from the cores by
   * default.
   */
  readonly atOnce?: number | undefined
}

/** The parts that work in a host's workspaces and checkouts. */
export function workParts(given: WorkOptions) {
  const { sandbox, history, workTrees, artifacts, clock, redact, slots, reports, state } = given
  const { store, engine, blobs } = given
  const sharing = blobs === null ? null : createLayerSharing({ blobs: blobs.store, artifacts, store, engine, clock })
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox, shared: sharing })
  return {
    sandbox,
    history,
    workTrees,
    artifacts,
    clock,
    redact,
    slots,
    layers,
    sharing,
    // If the disk cannot be queried, the work is tried.
    hasRoom: () =>
      statfs(state).then(
        (told) => hasRoom(freeSpaceIn(told)),
        () => true,
      ),
    sandboxes: createSandboxes(sandbox, workTrees),
    parts: createTreeParts({ workTrees, layers }),
    architect: createArchitectSandbox({ sandbox, workTrees, slots, mirror: join(state, 'mirror.git') }),
    testsOfTrees: createTestsOfTrees({ atOnce: given.atOnce }),
    reports: redactedReports(reports, redact),
  }
}
