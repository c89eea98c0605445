import { dirname } from 'node:path'
import { readSharedState } from '../app/commands/hub/shared-state.ts'
import type { Drydock } from '../app/drydock.ts'
import type { Elsewhere } from '../app/elsewhere.ts'
import type { Asker } from '../app/operations/operation.ts'
import { actsFor, type Here } from '../app/operations/operations.ts'
import type { BenchViews } from '../app/views/bench/benches.ts'
import { readFinish } from '../app/views/finish/finish.ts'
import { rememberGoneBranches } from '../app/views/finish/gone-branches.ts'
import { createRepositoryFacts } from '../app/views/hub/repository-facts.ts'
import { createReceiptViews } from '../app/views/receipts/receipts.ts'
import { readRunReport } from '../app/views/report/report.ts'
import { readSettings } from '../app/views/settings.ts'
import type { WorkOptions } from '../app/work-options.ts'
import type { ReceiptReader } from '../ports/receipts.ts'
import { shipped, version } from '../processes/installation.ts'
import type { Hub } from '../server/http/hub/hub.ts'
import { type HubServing, type ServingHub, serveHub } from '../server/http/hub/serve-hub.ts'
import { type Dashboard, type DashboardServing, serveDashboard } from '../server/http/serve-dashboard.ts'

/** What the pages about results and their receipts are answered with. */
function finishViews(drydock: Drydock, reader: ReceiptReader) {
  const receipts = createReceiptViews(drydock, reader)
  return { receipts, finish: (run: string) => readFinish({ drydock, reader, receipts }, run) }
}

/** What every door shows of a state, and what it lets people do. */
async function servedOf(drydock: Drydock, receipts: ReceiptReader, options: WorkOptions) {
  await drydock.ensureState()
  return {
    ...{
      ...drydock,
      artifacts: drydock.openArtifacts(),
      version: version(),
      now: drydock.clock.now,
      sleep: drydock.clock.sleep,
    },
    repositoryFacts: createRepositoryFacts(drydock, { options, receipts }),
    ...finishViews(drydock, receipts),
    goneBranches: rememberGoneBranches(drydock),
    report: (run: string) => readRunReport(drydock, run),
    sharedState: (by: string | null) => readSharedState(drydock, { token: by ?? '', version: version() }),
    settings: () => readSettings(drydock, options),
    folder: shipped('dist/dashboard'),
  }
}

/** Serves the dashboard to browsers of this machine, or names the process that does. */
export async function serveToUser(
  drydock: Drydock,
  receipts: ReceiptReader,
  { options, acts: planted, ...serving }: DashboardServing,
  { elsewhere, benches }: { readonly elsewhere: Elsewhere; readonly benches: BenchViews },
): Promise<Dashboard> {
  const served = await servedOf(drydock, receipts, options)
  const here: Here = { drydock, options, receipts: async () => receipts, door: { hub: null, elsewhere } }
  const acts = (asker: Asker) => planted ?? actsFor(here, asker)
  const all = { ...served, ...serving, acts, elsewhere, benches, installation: dirname(drydock.state) }
  const dashboard = await serveDashboard(all)
  return {
    ...dashboard,
    async close() {
      await elsewhere.close()
      await dashboard.close()
    },
  }
}

/** A team reaches neither other repositories nor the files of who runs the hub. */
const hubOnly = { elsewhere: null, benches: null } as const

/** Serves the dashboard and the API to a team. */
export async function serveToTeam(
  drydock: Drydock,
  receipts: ReceiptReader,
  { options, ...serving }: HubServing,
): Promise<ServingHub> {
  const actsOf = (hub: Hub) => {
    const door = { hub, elsewhere: null }
    const here: Here = { drydock, options, receipts: async () => receipts, door, audit: hub.audit }
    return (asker: Asker) => actsFor(here, asker)
  }
  return serveHub({ ...(await servedOf(drydock, receipts, options)), ...serving, ...hubOnly, actsOf })
}
