package api

import (
	"context"
	"io"
)

func (p *proxy) Info(ctx context.Context) (Info, error) {
	return call[Info](ctx, p, "info", &nothing{})
}

func (p *proxy) Examine(ctx context.Context) ([]Examined, error) {
	list, err := call[ExaminedList](ctx, p, "examine", &nothing{})
	return list.Findings, err
}

func (p *proxy) Engines(ctx context.Context) (EngineList, error) {
	return call[EngineList](ctx, p, "list-engines", &nothing{})
}

func (p *proxy) Drain(ctx context.Context, req Drain) (Drained, error) {
	return call[Drained](ctx, p, "drain", &sent[Drain]{req})
}

func (p *proxy) Position(ctx context.Context) (string, error) {
	standing, err := call[Standing](ctx, p, "position", &nothing{})
	return standing.At, err
}

func (p *proxy) Watch(ctx context.Context, since string, fn func(Moved) error) error {
	return p.do(ctx, p.routes["watch"], &watchInput{Since: since}, fn)
}

func (p *proxy) Limits(ctx context.Context, q LimitsQuery) ([]Account, error) {
	list, err := call[AccountList](ctx, p, "limits", &q)
	return list.Accounts, err
}

func (p *proxy) Spending(ctx context.Context, q SpendingQuery) ([]DaySpending, error) {
	list, err := call[SpendingList](ctx, p, "list-spending", &q)
	return list.Days, err
}

func (p *proxy) Trust(ctx context.Context, req Trust) (Trusted, error) {
	return call[Trusted](ctx, p, "trust", &sent[Trust]{req})
}

func (p *proxy) Import(ctx context.Context, req Import) (Imported, error) {
	return call[Imported](ctx, p, "import", &sent[Import]{req})
}

func (p *proxy) Backup(ctx context.Context, path string) error {
	_, err := call[Backup](ctx, p, "backup", &sent[Backup]{Backup{path}})
	return err
}

func (p *proxy) TestNotices(ctx context.Context) ([]NoticeTest, error) {
	list, err := call[NoticeTests](ctx, p, "test-notices", &nothing{})
	return list.Tests, err
}

func (p *proxy) Prune(ctx context.Context, req Prune) (Pruned, error) {
	return call[Pruned](ctx, p, "prune", &sent[Prune]{req})
}

func (p *proxy) SignHistory(ctx context.Context) (SignedHistory, error) {
	return call[SignedHistory](ctx, p, "sign-history", &nothing{})
}

func (p *proxy) ExportHistory(ctx context.Context, q HistoryQuery, w io.Writer) error {
	return p.do(ctx, p.routes["export-history"], &q, w)
}

func (p *proxy) Playbooks(ctx context.Context, q LibraryQuery) ([]PlaybookEntry, error) {
	list, err := call[PlaybookList](ctx, p, "playbooks", &q)
	return list.Playbooks, err
}

func (p *proxy) Playbook(ctx context.Context, name string, q LibraryQuery) (PlaybookSource, error) {
	return call[PlaybookSource](ctx, p, "playbook", &playbookInput{q, name})
}

func (p *proxy) CheckPlaybook(ctx context.Context, req CheckPlaybook) (PlaybookVerdict, error) {
	return call[PlaybookVerdict](ctx, p, "check-playbook", &sent[CheckPlaybook]{req})
}

func (p *proxy) Roles(ctx context.Context, q LibraryQuery) ([]RoleEntry, error) {
	list, err := call[RoleList](ctx, p, "roles", &q)
	return list.Roles, err
}

func (p *proxy) Tokens(ctx context.Context) ([]Token, error) {
	list, err := call[TokenList](ctx, p, "tokens", &nothing{})
	return list.Tokens, err
}

func (p *proxy) AddToken(ctx context.Context, req AddToken) (NewToken, error) {
	return call[NewToken](ctx, p, "add-token", &sent[AddToken]{req})
}

func (p *proxy) RevokeToken(ctx context.Context, id string, req RevokeToken) (Token, error) {
	return call[Token](ctx, p, "revoke-token", &revokeInput{id, req})
}

func (p *proxy) SignIn(ctx context.Context, req SignIn) (SignInCode, error) {
	return call[SignInCode](ctx, p, "sign-in", &sent[SignIn]{req})
}
