import { fuzz } from './run-target.ts'
import { testReports } from './targets/test-reports.ts'

fuzz(testReports)
