import { fuzz } from './run-target.ts'
import { editFile } from './targets/edit-file.ts'

fuzz(editFile)
