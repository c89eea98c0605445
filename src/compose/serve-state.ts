import { dirname } from 'node:path'
import { changeSetting } from '../app/commands/change-setting.ts'
import { createCommands } from '../app/commands/commands.ts'
import { givenOnce } from '../app/commands/given-once.ts'
import { readSharedState } from '../app/commands/hub/shared-state.ts'
import type { Drydock } from '../app/drydock.ts'
import type { Elsewhere } from '../app/elsewhere.ts'
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
    commands: (by: string | null, key: string | null) => {
      const make = (own: Drydock) => createCommands(own, { options, receipts, by })
      return key === null ? make(drydock) : givenOnce(drydock, { by, key }, make)
    },
    repositoryFacts: createRepositoryFacts(drydock, { options, receipts }),
    ...finishViews(drydock, receipts),
    goneBranches: rememberGoneBranches(drydock),
    report: (run: string) => readRunReport(drydock, run),
    sharedState: (by: string | null) => readSharedState(drydock, { token: by ?? '', version: version() }),
    settings: () => readSettings(drydock, options),
    changeSetting: (given: Parameters<typeof changeSetting>[1]) => changeSetting(drydock, given),
    folder: shipped('dist/dashboard'),
  }
}

/** Serves the dashboard to browsers of this machine, or names the process that does. */
export async function serveToUser(
  drydock: Drydock,
  receipts: ReceiptReader,
  { options, commands, ...serving }: DashboardServing,
  { elsewhere, benches }: { readonly elsewhere: Elsewhere; readonly benches: BenchViews },
): Promise<Dashboard> {
  const served = await servedOf(drydock, receipts, options)
  const planted = commands && { commands: () => commands }
  const all = { ...served, ...serving, ...planted, elsewhere, benches, installation: dirname(drydock.state) }
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
const hubOnly = { elsewhere: null, benches: null, changeSetting: null } as const

/** Serves the dashboard and the API to a team. */
export async function serveToTeam(
  drydock: Drydock,
  receipts: ReceiptReader,
  { options, ...serving }: HubServing,
): Promise<ServingHub> {
  return serveHub({ ...(await servedOf(drydock, receipts, options)), ...serving, ...hubOnly })
}
