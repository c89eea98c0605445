import { fuzz } from './run-target.ts'
import { packedLayer } from './targets/packed-layer.ts'

fuzz(packedLayer)
