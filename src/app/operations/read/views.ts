import { scheduleRoutes } from '../../../api/schedules.ts'
import { viewRoutes } from '../../../api/views/view-routes.ts'
import { readBefore } from '../../commands/spec-before.ts'
import { findUnfinished } from '../../commands/unfinished.ts'
import { reading } from '../../reading.ts'
import { readBudgetView } from '../../views/budget.ts'
import { readCrewsSoFar } from '../../views/crew-so-far.ts'
import { readWork } from '../../views/find/read-work.ts'
import { readLog } from '../../views/log.ts'
import { resultsNow } from '../../views/outcome-now.ts'
import { readPlanOf } from '../../views/plan/read-plan.ts'
import { readRecording } from '../../views/recording/recording.ts'
import { readReport } from '../../views/report/report.ts'
import { readScheduleList } from '../../views/schedule/schedule-list.ts'
import { readNews, readStanding } from '../../views/standing.ts'
import { readRunStatus, readStatus } from '../../views/status.ts'
import { readThread } from '../../views/thread.ts'
import { readPlanRequest } from '../act/build-plan.ts'
import { operation } from '../operation.ts'

/** The views that commands show, by the names of their routes. */
export const views = {
  work: operation(viewRoutes.work, { run: ({ drydock }, query) => readWork(drydock, query) }),
  statusList: operation(viewRoutes.statusList, { run: ({ drydock, by }, query) => readStatus(drydock, { by }, query) }),
  runStatus: operation(viewRoutes.runStatus, { run: ({ drydock, by }, { id }) => readRunStatus(drydock, { by }, id) }),
  budgetNow: operation(viewRoutes.budgetNow, { run: ({ drydock }, { id }) => readBudgetView(drydock, id) }),
  thread: operation(viewRoutes.thread, { run: ({ drydock }, { id, story }) => readThread(drydock, id, story) }),
  reportNow: operation(viewRoutes.reportNow, { run: ({ drydock, by }, { id }) => readReport(drydock, by, id) }),
  logEntries: operation(viewRoutes.logEntries, { run: ({ drydock }, query) => readLog(drydock, query) }),
  news: operation(viewRoutes.news, {
    run: ({ drydock }, query) => reading(drydock, (records) => readNews(records, query)),
  }),
  standing: operation(viewRoutes.standing, {
    run: ({ drydock }, query) => reading(drydock, (records) => readStanding(records, query)),
  }),
  results: operation(viewRoutes.results, {
    run: async ({ drydock }, { runs }) => ({ results: await resultsNow(drydock, runs.split(',')) }),
  }),
  crews: operation(viewRoutes.crews, { run: ({ drydock }, { runs }) => readCrewsSoFar(drydock, runs.split(',')) }),
  unfinished: operation(viewRoutes.unfinished, { run: ({ drydock }, { id }) => findUnfinished(drydock, id) }),
  specBefore: operation(viewRoutes.specBefore, { run: ({ drydock }, query) => readBefore(drydock, query) }),
  plan: operation(viewRoutes.plan, { run: ({ drydock }, { run }) => readPlanOf(drydock, run) }),
  planRequest: operation(viewRoutes.planRequest, { run: ({ drydock }, { run }) => readPlanRequest(drydock, run) }),
  schedules: operation(scheduleRoutes.schedules, { run: ({ drydock, by }) => readScheduleList(drydock, { by }) }),
  recording: operation(viewRoutes.recording, {
    async run({ drydock }, { run, for: reader }) {
      return { recording: await readRecording(drydock, run, { isOpen: reader === 'editor' }) }
    },
  }),
}
