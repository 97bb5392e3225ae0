package main
import ("context";"errors")
func start(ctx context.Context, w *workshop) (outcome, error) { return outcome{}, errors.New("x") }
func longRun(ctx context.Context, w *workshop) (outcome, error) { return outcome{}, errors.New("x") }
func workspace(ctx context.Context, w *workshop) (outcome, error) { return outcome{}, errors.New("x") }
func verdict(ctx context.Context, w *workshop) (outcome, error) { return outcome{}, errors.New("x") }
func memory(ctx context.Context, w *workshop) (outcome, error) { return outcome{}, errors.New("x") }
func version(ctx context.Context, w *workshop) (outcome, error) { return outcome{}, errors.New("x") }
func replay(ctx context.Context, w *workshop) (outcome, error) { return outcome{}, errors.New("x") }
