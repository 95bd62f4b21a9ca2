// SPDX-License-Identifier: Apache-2.0

// The official Go SDK as one client of the matrix, against a Banyan with the
// conformance fixtures:
//
//	go_client URL VERSION
//
// where VERSION is the newest protocol version that it offers. Lists, calls,
// hears of progress, comes back to a stream that ended, cancels. Exits 1 at the
// first thing that is not as it should be.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type client struct {
	session  *mcp.ClientSession
	progress chan float64
}

func connect(ctx context.Context, url, version string) (*client, error) {
	c := &client{progress: make(chan float64, 100)}
	options := &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			c.progress <- request.Params.Progress
		},
	}
	var err error
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "banyan-client-matrix", Version: "1.0.0"}, options).
		Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	return c, err
}

// The answer's text.
func (c *client) call(ctx context.Context, tool string) (string, error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}}
	params.SetProgressToken(tool)
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return "", err
	}
	text, isText := result.Content[0].(*mcp.TextContent)
	if result.IsError || !isText {
		return "", fmt.Errorf("%s answered %v", tool, result.Content)
	}
	return text.Text, nil
}

func (c *client) expectText(ctx context.Context, tool, part string) error {
	text, err := c.call(ctx, tool)
	if err == nil && !strings.Contains(text, part) {
		err = fmt.Errorf("%s answered %q, without %q", tool, text, part)
	}
	return err
}

func (c *client) checkProgress(ctx context.Context) error {
	if err := c.expectText(ctx, "test_tool_with_progress", "done"); err != nil {
		return err
	}
	var seen []float64
	for len(seen) < 3 {
		select {
		case value := <-c.progress:
			seen = append(seen, value)
		case <-ctx.Done():
			return fmt.Errorf("progress: only %v", seen)
		}
	}
	if !slices.Equal(seen, []float64{0, 50, 100}) {
		return fmt.Errorf("progress: %v", seen)
	}
	return nil
}

func (c *client) checkCancel(ctx context.Context) error {
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := c.call(running, "test_cancellation")
		ended <- err
	}()
	select {
	case <-c.progress:
	case err := <-ended:
		cancel()
		return fmt.Errorf("the call ended before it was cancelled: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the cancelled call ended with %v", err)
	}
	return nil
}

func run(ctx context.Context, url, version string) error {
	c, err := connect(ctx, url, version)
	if err != nil {
		return err
	}
	defer c.session.Close()
	list, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	if list.Tools[0].Name != "list_projects" {
		return fmt.Errorf("the first tool is %s", list.Tools[0].Name)
	}
	if err := c.expectText(ctx, "list_projects", "harbour"); err != nil {
		return err
	}
	if err := c.checkProgress(ctx); err != nil {
		return err
	}
	if err := c.expectText(ctx, "test_reconnection", "after the stream"); err != nil {
		return err
	}
	if err := c.checkCancel(ctx); err != nil {
		return err
	}
	if _, err := c.session.ListTools(ctx, nil); err != nil {
		return fmt.Errorf("after it cancelled: %w", err)
	}
	return nil
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}
