import { fuzz } from './run-target.ts'
import { issueText } from './targets/issue-text.ts'

fuzz(issueText)
