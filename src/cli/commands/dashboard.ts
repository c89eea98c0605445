import type { Drydock } from '../../app/drydock.ts'
import { serveDashboard } from '../../compose.ts'
import type { CommonOptions, Context } from '../context.ts'
import { isAttended } from '../screen/output.ts'
import type { AttendOptions } from './start/attend.ts'

/**
 * Returns whether to show the work in a browser as well. Programs do not need that, and a log must
 * not contain the link, which signs in.
 */
export function withDashboard(context: Context, options: CommonOptions): Pick<AttendOptions, 'dashboard'> {
  const { output, terminal } = context
  if (!(options.ui ?? (!output.json && isAttended(terminal)))) return {}
  return { dashboard: (drydock) => showDashboard(context, drydock, options) }
}

/** Serves the dashboard, or finds the process that does. Throws DrydockError `port_taken`. */
export function openDashboard(
  context: Context,
  drydock: Drydock,
  { port, endSessions = false, ...options }: CommonOptions & { readonly port?: number; readonly endSessions?: boolean },
): ReturnType<typeof serveDashboard> {
  return serveDashboard(drydock, {
    options,
    ...(port !== undefined && { port }),
    endSessions,
    onError: (error) => context.output.note(`drydock: ${error instanceof Error ? error.stack : error}`),
  })
}

/**
 * Serves the dashboard alongside other work and prints its address. The work continues if serving
 * fails.
 */
async function showDashboard(
  context: Context,
  drydock: Drydock,
  options: CommonOptions,
): Promise<Awaited<ReturnType<typeof openDashboard>> | null> {
  if (drydock.atHub !== null) {
    context.output.note(`Dashboard: ${drydock.atHub.url}`)
    return null
  }
  try {
    const dashboard = await openDashboard(context, drydock, options)
    context.output.note(`Dashboard: ${dashboard.link}`)
    if (!dashboard.own) return dashboard
    return {
      ...dashboard,
      async close() {
        await dashboard.close()
        context.output.note('The dashboard has ended with this command. To look again: drydock serve')
      },
    }
  } catch (error) {
    context.output.note(`There is no dashboard: ${error instanceof Error ? error.message : error}`)
    return null
  }
}
