import './on-postgres.ts'
import '../../scenarios/retry.test.ts'
