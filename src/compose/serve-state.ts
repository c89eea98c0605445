import { dirname } from 'node:path'
import { authorOf } from '../app/commands/author-of.ts'
import { readSharedState } from '../app/commands/hub/shared-state.ts'
import type { Drydock } from '../app/drydock.ts'
import type { Elsewhere } from '../app/elsewhere.ts'
import type { Installation } from '../app/installation.ts'
import { createHeldCommands } from '../app/operations/held-commands.ts'
import { actsFor, type Here } from '../app/operations/operations.ts'
import type { StateAccess } from '../app/state-access.ts'
import type { BenchViews } from '../app/views/bench/benches.ts'
import { readFinish } from '../app/views/finish/finish.ts'
import { rememberGoneBranches } from '../app/views/finish/gone-branches.ts'
import { createRepositoryFacts } from '../app/views/hub/repository-facts.ts'
import { createReceiptViews } from '../app/views/receipts/receipts.ts'
import { readRunReport } from '../app/views/report/report.ts'
import { readSettings } from '../app/views/settings.ts'
import type { WorkOptions } from '../app/work-options.ts'
import { once } from '../domain/once.ts'
import type { ReceiptReader } from '../ports/receipts.ts'
import { shipped, version } from '../processes/installation.ts'
import { type HubServing, type ServingHub, serveHub } from '../server/http/hub/serve-hub.ts'
import { type Dashboard, type DashboardServing, serveDashboard } from '../server/http/serve-dashboard.ts'
import type { ServedState } from '../server/http/serve-state.ts'

/** The data for the pages about results and receipts. */
function finishViews(
  drydock: Pick<Installation, 'repository' | 'clock' | 'history' | 'userRepository' | 'remotes' | 'openForge'> &
    Pick<StateAccess, 'openRecords' | 'atHub'>,
  reader: ReceiptReader,
  you: () => Promise<string | null>,
) {
  const receipts = createReceiptViews(drydock, reader)
  return { receipts, finish: (run: string) => readFinish({ drydock, reader, receipts, you }, run) }
}

interface ServingOptions {
  readonly options: WorkOptions
  readonly isHub: boolean
}

/** The views and commands of a state that all servers share. */
async function servedOf(drydock: Drydock, receipts: ReceiptReader, { options, isHub }: ServingOptions) {
  await drydock.ensureState()
  const held = createHeldCommands(drydock)
  // Git is asked once, and not for each page.
  const you = once(async () => (isHub ? null : authorOf(drydock, null)))
  return {
    ...drydock,
    artifacts: drydock.openArtifacts(),
    version: version(),
    now: drydock.clock.now,
    sleep: drydock.clock.sleep,
    repositoryFacts: createRepositoryFacts(drydock, { options, receipts }),
    ...finishViews(drydock, receipts, you),
    goneBranches: rememberGoneBranches(drydock),
    you,
    held,
    heldNow: held.list,
    report: (run: string) => readRunReport(drydock, run),
    sharedState: (by: string | null) => readSharedState(drydock, { token: by ?? '', version: version() }),
    settings: () => readSettings(drydock, options),
    folder: shipped('dist/dashboard'),
  }
}

type ActsOf = ServedState['actsOf']

/** Drydock with records that stay open, for reads. */
function looking(drydock: Drydock, records: Parameters<ActsOf>[0]): Drydock {
  const kept = Object.create(records, { close: { value: async () => undefined } })
  return { ...drydock, openRecords: () => kept }
}

/** Serves the dashboard to browsers of this machine, or names the process that already does. */
export async function serveToUser(
  drydock: Drydock,
  receipts: ReceiptReader,
  { options, acts: planted, ...serving }: DashboardServing,
  { elsewhere, benches }: { readonly elsewhere: Elsewhere; readonly benches: BenchViews },
): Promise<Dashboard> {
  const served = await servedOf(drydock, receipts, { options, isHub: false })
  const actsOf: ActsOf = (records) => {
    const door = { hub: null, elsewhere, held: served.held }
    const here: Here = { drydock: looking(drydock, records), options, receipts: async () => receipts, door }
    return (asker) => planted ?? actsFor(here, asker)
  }
  const all = { ...served, ...serving, actsOf, elsewhere, benches, installation: dirname(drydock.state) }
  const dashboard = await serveDashboard(all)
  return {
    ...dashboard,
    async close() {
      await served.held.close()
      await elsewhere.close()
      await dashboard.close()
    },
  }
}

/** A team must not reach other repositories or the files of the hub's user. */
const hubOnly = { elsewhere: null, benches: null } as const

/** Serves the dashboard and the API to a team. */
export async function serveToTeam(
  drydock: Drydock,
  receipts: ReceiptReader,
  { options, ...serving }: HubServing,
): Promise<ServingHub> {
  const served = await servedOf(drydock, receipts, { options, isHub: true })
  const actsOf: ActsOf = (records, hub) => {
    const door = { hub, elsewhere: null, held: served.held }
    const here = { drydock: looking(drydock, records), options, receipts: async () => receipts, door }
    return (asker) => actsFor({ ...here, ...(hub && { audit: hub.audit }) }, asker)
  }
  const hub = await serveHub({ ...served, ...serving, ...hubOnly, actsOf })
  return {
    ...hub,
    async close() {
      await served.held.close()
      await hub.close()
    },
  }
}
