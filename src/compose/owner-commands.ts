import type { Installation } from '../app/installation.ts'
import type { StateAccess } from '../app/state-access.ts'
import type { WorkflowDependencies } from '../workflow/dependencies.ts'

/** Commands that the owner of a state runs itself; loaded when they are first run. */
export function ownerCommands(
  drydock: Installation & Pick<StateAccess, 'openRecords' | 'atHub' | 'openForgeCalls'>,
): Pick<WorkflowDependencies, 'scheduled' | 'land'> {
  return {
    async scheduled(schedule) {
      const { scheduledStart } = await import('../app/commands/scheduled-start.ts')
      return scheduledStart(drydock, schedule)
    },
    async land(landing) {
      const { nextStep } = await import('../app/commands/land/next-step.ts')
      return nextStep(drydock, await drydock.openReceipts(), landing)
    },
  }
}
