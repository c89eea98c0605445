import { fuzz } from './run-target.ts'
import { conflictMarkersTarget } from './targets/conflict-markers.ts'

fuzz(conflictMarkersTarget)
