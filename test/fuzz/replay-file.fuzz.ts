import { fuzz } from './run-target.ts'
import { replayFile } from './targets/replay-file.ts'

fuzz(replayFile)
